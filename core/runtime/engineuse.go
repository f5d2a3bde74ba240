package runtime

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/quirehq/quire/core/lang"
)

// engineUse knows when engines were used, and which were unloaded.
type engineUse struct {
	executing sync.Mutex // held by the executing run, and while an engine is unloaded

	mu       sync.Mutex
	last     map[lang.Engine]time.Time
	unloaded map[string]string // the reason why the engine of a language was unloaded, until the next run
}

// begin notes a run of an engine. If the one before it was unloaded, it returns the note for the user that the variables are
// gone.
func (u *engineUse) begin(engine lang.Engine, language string, now time.Time) (note string) {
	u.end(engine, now)
	u.mu.Lock()
	defer u.mu.Unlock()
	why := u.unloaded[language]
	delete(u.unloaded, language)
	if why == "" {
		return ""
	}
	return fmt.Sprintf("The variables of %s were dropped: %s.\n", language, why)
}

// end notes that an engine was used.
func (u *engineUse) end(engine lang.Engine, now time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.last == nil {
		u.last = map[lang.Engine]time.Time{}
	}
	u.last[engine] = now
}

// since returns the time of the last run of an engine, and whether it had one.
func (u *engineUse) since(engine lang.Engine) (time.Time, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	last, ok := u.last[engine]
	return last, ok
}

// forget notes that an engine is no more, and the reason if the next run is to say it. Without a run it had no variables.
func (u *engineUse) forget(engine lang.Engine, language, why string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, used := u.last[engine]; used && why != "" {
		if u.unloaded == nil {
			u.unloaded = map[string]string{}
		}
		u.unloaded[language] = why
	}
	delete(u.last, engine)
}

// unload ends an engine between runs, with its comms and background work. The next run of the language says why, unless that
// is empty.
func (rt *Runtime) unload(language string, engine lang.Engine, why string) {
	rt.use.forget(engine, language, why)
	rt.discard(language, engine)
	rt.comms.closeLost(engine)
}

// languageOf returns the name by which the engines know a language.
func (rt *Runtime) languageOf(name string) string {
	if id, ok := rt.cfg.Engines.Language(name); ok {
		return id
	}
	return name
}

// looksPerIdle is how often idle engines are looked for in the time after which they are unloaded.
const looksPerIdle = 4

// unloadIdle unloads engines that were not used for the time of the configuration, until life ends. The engine of the
// notebook's own language stays: its variables are what the notebook is about.
func (rt *Runtime) unloadIdle(life context.Context) {
	if rt.cfg.EngineIdle <= 0 {
		return
	}
	look := time.NewTicker(max(rt.cfg.EngineIdle/looksPerIdle, time.Millisecond))
	defer look.Stop()
	for {
		select {
		case <-life.Done():
			return
		case <-look.C:
		}
		if !rt.use.executing.TryLock() {
			continue
		}
		rt.unloadUnused()
		rt.use.executing.Unlock()
	}
}

func (rt *Runtime) unloadUnused() {
	own := rt.languageOf(rt.cfg.Language)
	for _, language := range rt.cfg.Engines.Languages() {
		engine, _ := rt.cfg.Engines.Loaded(language) // it is in the set
		if engine == nil || language == own {
			continue
		}
		if last, used := rt.use.since(engine); used && rt.cfg.Now().Sub(last) >= rt.cfg.EngineIdle {
			rt.unload(language, engine, fmt.Sprintf("its engine was not used for %v", rt.cfg.EngineIdle))
		}
	}
}
