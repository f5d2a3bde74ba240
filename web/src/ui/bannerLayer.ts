import styles from "./Banner.module.css";

let layer: HTMLElement | undefined;

/**
 * Returns the element that banners are put in, at the foot of the window and over the page. A banner that came and went
 * within the page would move what a person types in. The style sheet's --banners is its height, for what stands above it.
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

/** Returns how much of the foot of the window banners cover, in pixels. */
export function bannersHeight(): number {
  return layer?.offsetHeight ?? 0;
}
