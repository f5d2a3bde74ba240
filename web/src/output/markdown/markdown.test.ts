import { describe, expect, test, vi } from "vitest";
import { activeIn, hostile } from "../../../test/hostile.js";
import { workOf } from "../../../test/workOf.js";
import { renderFormulas } from "./katex.js";
import { nodesOf, show } from "./show.js";

function html(source: string): string {
  const box = document.createElement("div");
  box.append(nodesOf(source));
  return box.innerHTML.trim();
}

describe("hostile input", () => {
  test.each(hostile)("%j is only to be looked at, and when parsed again too", (source) => {
    const nodes = nodesOf(source);
    expect(activeIn(nodes)).toEqual([]);
    const box = document.createElement("div");
    box.append(nodes);
    for (let times = 0; times < 2; times++) {
      const again = new DOMParser().parseFromString(box.innerHTML, "text/html");
      expect(activeIn(again.body)).toEqual([]);
      expect(again.head.children.length).toBe(0);
      box.innerHTML = again.body.innerHTML;
    }
  });

  test.each(hostile)("with formulas in their place %j leads nowhere", (source) => {
    const box = document.createElement("div");
    box.append(nodesOf(source));
    renderFormulas(box);
    const links = [...box.querySelectorAll("[href], [src]")].map((element) => element.getAttribute("href") ?? element.getAttribute("src") ?? "");
    expect(links.filter((link) => !/^(https?:|mailto:|#|data:image\/)/.test(link))).toEqual([]);
    expect(box.querySelector("script, iframe, img[onerror]")).toBeNull();
    expect([...box.querySelectorAll("[id]")].filter((element) => !element.id.startsWith("user-content-"))).toEqual([]);
  });
});

describe("what people write", () => {
  test.each([
    ["a *b* **c** ~~d~~ `e`", "<p>a <em>b</em> <strong>c</strong> <s>d</s> <code>e</code></p>"],
    ["see https://example.com now", '<p>see <a href="https://example.com" target="_blank" rel="noopener noreferrer">https://example.com</a> now</p>'],
    ["run main.py", "<p>run main.py</p>"],
    ["[a](#b) [c](mailto:d@example.com)", '<p><a href="#b">a</a> <a href="mailto:d@example.com" target="_blank" rel="noopener noreferrer">c</a></p>'],
    ["## Two *words*\n\n## Two words", '<h2 id="user-content-two-words">Two <em>words</em></h2>\n<h2 id="user-content-two-words-1">Two words</h2>'],
    ["<details><summary>s</summary>t</details>", "<details><summary>s</summary>t</details>"],
    ["![a](data:image/png;base64,AA==)", '<p><img src="data:image/png;base64,AA==" alt="a"></p>'],
    ["![a](https://example.com/b.png)", '<p><a href="https://example.com/b.png" target="_blank" rel="noopener noreferrer">a</a></p>'],
    ["```rust\nx\n```", '<pre><code class="language-rust">x\n</code></pre>'],
    ["```py\nx\n```", '<pre><code class="language-py"><span class="tok-variableName">x</span>\n</code></pre>'],
    ["<img src='data:image/gif;base64,AA==' width='50' alt='dot'>", '<img src="data:image/gif;base64,AA==" width="50" alt="dot">'],
  ])("%j is shown", (source, want) => {
    expect(html(source).replace(/(src="[^"]*") (alt="[^"]*") (width="[^"]*")/, "$1 $3 $2")).toBe(want);
  });

  test("cells of tables are aligned, and tasks have boxes", () => {
    expect(html("| a | b |\n|--:|:-:|\n| 1 | 2 |")).toMatch(/<td align="right">1<\/td>\s*<td align="center">2<\/td>/);
    const tasks = html("- [x] one\n- [ ] two");
    expect(tasks).toContain('<input type="checkbox" disabled="" aria-label="done" checked="">');
    expect(tasks).toContain('<input type="checkbox" disabled="" aria-label="to do">');
  });

  test.each<[string, readonly string[]]>([
    ["$a_1 * b$ and $c$", ["math-inline a_1 * b", "math-inline c"]],
    ["it costs $5 and $6", []],
    ["$ a$ $$ \\$a$ a\\$b$", []],
    ["so $$a$$ it is", ["math-display a"]],
    ["$$\na\nb\n$$", ["math-block a\nb"]],
    ["$$a = b$$", ["math-block a = b"]],
    ["> $$\n> a\n> $$", ["math-block a"]],
    ["$$ a $$ and $$ b $$", ["math-display a", "math-display b"]],
    ["\\begin{align}\na\n\\end{align}", ["math-block \\begin{align}\na\n\\end{align}"]],
    ["```math\na\n```", ["math-block a"]],
    ["`$a$`\n\n    $$b$$", []],
    ["$$\nno end", []],
  ])("the formulas of %j are found", (source, want) => {
    const nodes = nodesOf(source);
    expect([...nodes.querySelectorAll("[class^=math-]")].map((node) => `${node.className} ${node.textContent}`)).toEqual(want);
  });

  test("formulas and code get their looks when what makes them has come", async () => {
    const box = document.createElement("div");
    show("$x^2$\n\n```python\ndef f(): pass\n```", box);
    expect(box.textContent).toContain("x^2");
    await vi.waitFor(() => {
      expect(box.querySelector(".katex")).not.toBeNull();
      expect(box.querySelector(".tok-keyword")?.textContent).toBe("def");
    }, 20_000);
    expect(box.querySelector("pre")?.textContent).toBe("def f(): pass\n");
    show("$x^3$", box);
    expect(box.querySelector(".katex")).not.toBeNull();
  });

  test("a formula that is wrong says what it was", () => {
    const box = document.createElement("div");
    box.append(nodesOf("$\\frac{1$"));
    renderFormulas(box);
    expect(box.textContent).toContain("\\frac{1");
  });

  test("long hostile text is shown in a moment", () => {
    for (const part of ["$a ", "$$a ", "[", "*a_ ", "`", "<", "![](", "\\begin{a}\n"])
      expect(nodesOf(part.repeat(3000)).textContent?.length).toBeGreaterThan(0);
  });
});

describe("pictures that belong to the text", () => {
  const pictures = new Map([
    ["a.png", "data:image/png;base64,AAAA"],
    ["b c.png", "data:image/png;base64,BBBB"],
  ]);
  const shown = (source: string): string => {
    const box = document.createElement("div");
    box.append(nodesOf(source, pictures));
    return box.innerHTML.trim();
  };

  test("are shown by their names, however those are written", () => {
    expect(shown("![x](attachment:a.png)")).toBe('<p><img src="data:image/png;base64,AAAA" alt="x"></p>');
    expect(shown("![x](attachment:b%20c.png)")).toContain("BBBB");
    expect(shown("![x](<attachment:b c.png>)")).toContain("BBBB");
    expect(shown('<img src="attachment:a.png" width="40">')).toContain('src="data:image/png;base64,AAAA" width="40"');
  });

  test("are what they stand for if they are not there", () => {
    expect(shown("see ![the plot](attachment:gone.png)")).toBe("<p>see [the plot]</p>");
    expect(shown("![](attachment:50%.png)")).toBe("<p>[50%.png]</p>");
    expect(html("![x](attachment:a.png)")).toBe("<p>[x]</p>");
  });
});

describe("Markdown that would freeze the page", () => {
  const notes = (source: string): string => {
    const box = document.createElement("div");
    show(source, box);
    return box.firstElementChild?.textContent ?? "";
  };

  test.each([
    ["elements within each other", "<b>".repeat(100_000)],
    ["paragraphs that begin many styles again", `${"<b><i><s>".repeat(100)}${"<p>x".repeat(9000)}`],
    ["tables of many cells", `|a|\n|-|\n${"|a|\n".repeat(40_000)}`],
    ["folded parts", "<details>x</details>".repeat(40_000)],
    ["links", "[a](https://b.example) ".repeat(40_000)],
    ["letters", "word ".repeat(100_000)],
  ])("too many %s are shown as they are written, which is said", (_, source) => {
    expect(workOf(() => expect(notes(source)).toMatch(/its source/))).toBeLessThan(10_000);
  });

  test.each([
    ["quotes", ">".repeat(100_000)],
    ["lists", "- ".repeat(100_000)],
    ["brackets", "[".repeat(100_000)],
    ["formulas without an end", "\\begin{a}\n".repeat(10_000)],
    ["marks", "*a **b ".repeat(20_000)],
  ])("many %s take no time", (_, source) => {
    expect(workOf(() => notes(source))).toBeLessThan(10_000);
  });

  test("a picture that draws too much is left out, and one that is plain is not", () => {
    const uses = (id: string): string => `<use href="#${id}"/>`.repeat(10);
    const bomb = `<svg xmlns="http://www.w3.org/2000/svg"><rect id="g0"/>${Array.from({ length: 9 }, (_, i) => `<g id="g${i + 1}">${uses(`g${i}`)}</g>`).join("")}</svg>`;
    const picture = (svg: string): string => `<img alt="p" src="data:image/svg+xml;base64,${btoa(svg)}">`;
    expect(html(picture(bomb))).toContain("draws more than the page can paint");
    expect(html(picture(bomb))).not.toContain("<img");
    expect(html(picture("<svg xmlns='http://www.w3.org/2000/svg'/>"))).toContain("<img");
  });
});

describe("formulas that would freeze the page", () => {
  const rendered = (source: string): { readonly left: number; readonly box: HTMLElement } => {
    const box = document.createElement("div");
    box.append(nodesOf(source));
    return { left: renderFormulas(box), box };
  };

  test.each([
    ["deep fractions", `$$${"\\frac{1}{".repeat(800)}x${"}".repeat(800)}$$`, 1],
    ["deep styles", `$$${"\\bf ".repeat(900)}x$$`, 1],
    ["a long one", `$$${"\\sqrt{x}+".repeat(20_000)}1$$`, 1],
    ["one that defines much", `$$\\def\\a{${"x".repeat(1400)}}${"\\a".repeat(700)}$$`, 0],
    ["thousands", "$x_1$ ".repeat(5000), 1],
  ])("of %s the source is shown", (_, source, least) => {
    const work = workOf(() => {
      const { left, box } = rendered(source);
      expect(left).toBeGreaterThanOrEqual(least);
      expect(box.querySelectorAll("*").length).toBeLessThan(150_000);
    });
    expect(work).toBeLessThan(25_000);
  });

  test("what people write is shown as a formula", () => {
    const fraction = Array.from({ length: 12 }).reduce<string>((inner) => `1 + \\cfrac{1}{${inner}}`, "x");
    const { left, box } = rendered(`$$${fraction}$$ ${"$\\sum_{i=0}^n \\sqrt{x_i}$ ".repeat(200)}`);
    expect(left).toBe(0);
    expect(box.querySelectorAll(".katex").length).toBe(201);
  });
});
