import DOMPurify, { type Config } from "dompurify";

const tags =
  "a abbr b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 " +
  "hr i img input ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary sup table tbody td tfoot th thead tr tt u ul var wbr";
const addresses = "href src";
const words = "abbr align alt checked class colspan dir disabled height id lang name open reversed rowspan scope start title type valign width";

const config: Config & { RETURN_DOM_FRAGMENT: true } = {
  ALLOWED_TAGS: tags.split(" "),
  ALLOWED_ATTR: `${addresses} ${words}`.split(" "),
  ADD_URI_SAFE_ATTR: words.split(" "),
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|#)/i,
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  SANITIZE_NAMED_PROPS: true, // ids and names begin with user-content-, so none collides with the page's
  RETURN_DOM_FRAGMENT: true,
};

const picture = /^(?:data:image\/(?:png|jpeg|gif|webp|svg\+xml)[;,]|blob:|attachment:)/i; // the last for pictures.ts
const ownClass = /^(?:language-[\w+#.-]+|math-(?:inline|display|block)|task-list-item|contains-task-list)$/;

DOMPurify.addHook("uponSanitizeAttribute", (node, event) => {
  if (event.attrName === "src") {
    event.forceKeepAttr = node.nodeName === "IMG" && picture.test(event.attrValue);
    event.keepAttr = event.forceKeepAttr;
  }
  if (event.attrName === "class") {
    event.attrValue = event.attrValue
      .split(/\s+/)
      .filter((name) => ownClass.test(name))
      .join(" ");
    event.keepAttr = event.attrValue !== "";
  }
});

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.nodeName === "A" && node.hasAttribute("href") && !node.getAttribute("href")?.startsWith("#")) {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer");
  }
  if (node.nodeName === "INPUT") asTask(node);
});

/** The only remaining field is the checkbox of a task, which is disabled. */
function asTask(node: Element): void {
  if (node.getAttribute("type") !== "checkbox") return node.remove();
  const done = node.hasAttribute("checked");
  for (const name of node.getAttributeNames()) node.removeAttribute(name);
  node.setAttribute("type", "checkbox");
  node.setAttribute("disabled", "");
  node.setAttribute("aria-label", done ? "done" : "to do");
  node.toggleAttribute("checked", done);
}

/**
 * Returns the harmless part of HTML, as nodes. They are never serialised and parsed again, which is where clean HTML can become
 * harmful.
 */
export function clean(html: string): DocumentFragment {
  const nodes: DocumentFragment | null = DOMPurify.sanitize(html, config);
  return nodes ?? document.createDocumentFragment(); // frames took the place of the body
}
