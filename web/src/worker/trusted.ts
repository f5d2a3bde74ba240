/** What a Trusted Types policy makes of a script's address. */
interface Policy {
  createScriptURL(url: string): string;
}

declare global {
  var trustedTypes: { createPolicy(name: string, rules: Policy): Policy } | undefined;
}

/** Workers are the one kind of script that this page starts, and only those it was built with. */
const rules: Policy = {
  createScriptURL(url) {
    if (new URL(url, location.origin).origin !== location.origin) throw new TypeError(`not a script of this page: ${url}`);
    return url;
  },
};
const policy = globalThis.trustedTypes?.createPolicy("quire", rules) ?? rules;

/** Returns the address of a worker's script in the form that the page's policy asks for. */
export function trustedScript(url: string): string {
  return policy.createScriptURL(url);
}
