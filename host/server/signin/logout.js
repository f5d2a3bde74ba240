const button = document.querySelector("button");
const text = document.querySelector("#pending");
const open = () => new Promise((resolve) => {
  const opening = indexedDB.open("quire");
  opening.onupgradeneeded = () => opening.transaction.abort(); // there is none
  opening.onerror = () => resolve();
  opening.onsuccess = () => resolve(opening.result);
});
const look = async () => {
  const db = await open();
  if (!db?.objectStoreNames.contains("replicas")) return db?.close();
  const all = db.transaction("replicas").objectStore("replicas").getAll();
  await new Promise((resolve) => { all.onsuccess = all.onerror = resolve; });
  db.close();
  const books = new Set((all.result ?? []).filter((row) => row.pending > 0).map((row) => row.notebook));
  if (books.size === 0) return;
  text.hidden = false;
  button.textContent = "Sign out and lose it";
};
const others = async () => {
  new BroadcastChannel("quire").postMessage("signed-out");
  for (let i = 0; i < 60 && (await navigator.locks?.query())?.held?.length > 0; i++) await new Promise((done) => setTimeout(done, 50));
};
const clear = async () => {
  localStorage.clear();
  sessionStorage.clear();
  for (const kept of await navigator.serviceWorker?.getRegistrations() ?? []) await kept.unregister();
  for (const name of await globalThis.caches?.keys() ?? []) await caches.delete(name);
  const gone = indexedDB.deleteDatabase("quire");
  await new Promise((resolve) => { gone.onsuccess = gone.onerror = resolve; });
};
button.onclick = async () => {
  button.disabled = true;
  const headers = { "Quire-Key": localStorage.getItem("quire.key") ?? "" };
  const answer = await fetch("/api/logout", { method: "POST", headers }).catch(() => undefined);
  if (!answer?.ok && answer?.status !== 401) {
    button.disabled = false;
    document.querySelector("#failed").hidden = false;
    return;
  }
  await others();
  await clear();
  location.replace("/");
};
look();
