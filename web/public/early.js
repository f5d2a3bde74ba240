// Asks for what a notebook shows first while the page's own script is still loading. worker/first.ts takes the answer.
{
  const [, id] = /^\/nb\/([^/]+)/.exec(location.pathname) ?? [];
  if (id) {
    const answer = fetch(`/api/notebooks/${id}/view?cells=40`, { credentials: "same-origin" });
    answer.catch(() => {}); // who takes it hears of it
    globalThis.quireFirst = { id: decodeURIComponent(id), answer };
  }
}
