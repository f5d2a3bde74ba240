/** The part of a Trusted Types policy that creates script addresses. */
interface Policy {
  createScriptURL(url: string): string;
}

declare global {
  var trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;
}

/** Workers are the only scripts that this page starts, and only those of its own build. */
const rules: Policy = {
  createScriptURL(url) {
    if (new URL(url, location.origin).origin !== location.origin) throw new TypeError(`not a script of this page: ${url}`);
    return url;
  },
};
const policy = globalThis.trustedTypes?.createPolicy("quire", rules) ?? rules;

/** Returns the address of a worker's script as the page's policy requires it. */
export function trustedScript(url: string): string {
  return policy.createScriptURL(url);
}
