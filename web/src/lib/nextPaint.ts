/** Resolves after the next paint, or soon in a hidden page, which is never painted. */
export function nextPaint(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => resolve();
    requestAnimationFrame(() => port2.postMessage(0));
    setTimeout(resolve, 300);
  });
}
