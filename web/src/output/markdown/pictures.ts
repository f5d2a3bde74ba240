/** Pictures are the addresses of pictures that belong to some Markdown, by the names that it has for them. */
export type Pictures = ReadonlyMap<string, string>;

const scheme = /^attachment:/i;

/** Gives the pictures of "attachment:name" their addresses. One that is not there becomes the words that stand for it. */
export function resolvePictures(root: ParentNode, pictures: Pictures): void {
  for (const element of root.querySelectorAll("img")) {
    const source = element.getAttribute("src") ?? "";
    if (!scheme.test(source)) continue;
    const name = source.replace(scheme, "");
    const address = pictures.get(name) ?? pictures.get(decoded(name));
    if (address === undefined) element.replaceWith(`[${element.getAttribute("alt") || decoded(name)}]`);
    else element.setAttribute("src", address);
  }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
