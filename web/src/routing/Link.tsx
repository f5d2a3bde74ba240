import type { ComponentProps, MouseEvent } from "react";
import { addressOf, type Route } from "./route.js";
import { useRouter } from "./router.js";

interface Props extends Omit<ComponentProps<"a">, "href"> {
  readonly to: Route;
}

/** A link to a page of the application. It is a real link: it can be copied, and opened in another tab. */
export function Link({ to, onClick, ...props }: Props) {
  const router = useRouter();
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || !isPlain(event)) return;
    event.preventDefault();
    router.go(to);
  };
  return <a {...props} href={addressOf(to)} onClick={follow} />;
}

/** Reports whether a click has no modifier and is of the main button. */
function isPlain(event: MouseEvent): boolean {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
}
