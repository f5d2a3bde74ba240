import styles from "./Banner.module.css";

let layer: HTMLElement | undefined;

/**
 * Returns the element that contains the banners, at the foot of the window and over the page. A banner within the flow of the
 * page would move the text that the user types in. The CSS variable --banners is its height, for elements above it.
 */
export function bannerLayer(): HTMLElement {
  if (layer?.isConnected) return layer;
  const made = document.createElement("div");
  made.className = styles.layer ?? "";
  document.body.append(made);
  if (typeof ResizeObserver !== "undefined") {
    new ResizeObserver(() => document.documentElement.style.setProperty("--banners", `${made.offsetHeight}px`)).observe(made);
  }
  layer = made;
  return made;
}

/** Returns the height that banners cover at the foot of the window, in pixels. */
export function bannersHeight(): number {
  return layer?.offsetHeight ?? 0;
}
