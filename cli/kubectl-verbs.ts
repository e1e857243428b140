import { kindNamed } from "#domain/workload/kind-names";

/** What a verb of kubectl and of similar tools is called here. The first existing command counts. */
const elsewhere: Readonly<Record<string, readonly string[]>> = {
  get: ["status"],
  list: ["status"],
  ls: ["status"],
  ps: ["status"],
  top: ["status"],
  describe: ["explain"],
  why: ["explain"],
  logs: ["watch"],
  events: ["watch"],
  tail: ["watch"],
  diff: ["outdated"],
  apply: ["sweep"],
  deploy: ["set", "push"],
  update: ["set", "push"],
  upgrade: ["set", "push"],
  pin: ["set", "push"],
  undo: ["rollback"],
  revert: ["rollback"],
  "rollout status": ["wait", "status"],
  "rollout history": ["history"],
  "rollout undo": ["rollback"],
  "rollout pause": ["suspend"],
  "rollout resume": ["resume"],
  rollout: ["wait", "status"],
  "set image": ["set", "push"],
  pause: ["suspend", "freeze"],
  cordon: ["freeze"],
  uncordon: ["unfreeze"],
  drain: ["freeze"],
  "cluster-info": ["cluster list"],
  context: ["cluster list"],
  contexts: ["cluster list"],
  clusters: ["cluster list"],
  registries: ["registry list"],
  auth: ["cluster check"],
  login: ["token create"],
  tokens: ["token list"],
  check: ["doctor"],
  "api-resources": ["--help"],
  man: ["--help"],
};

/** The verbs that only kubectl has. */
const ofKubectl: ReadonlySet<string> = new Set([
  "annotate",
  "attach",
  "create",
  "delete",
  "edit",
  "exec",
  "label",
  "port-forward",
  "rollout restart",
  "rollout undo",
  "scale",
]);

/** The names of resources that kubectl needs and Lookout does not. */
const resources = /^(?:all|pods?|po|images?|workloads?|wl|nodes?|namespaces?|ns|events?)$/;

/**
 * Returns how a command of kubectl is written here: `lookout explain deployment/api -n shop` for
 * `describe deployment/api -n shop`. Undefined for another word.
 *
 * @param isCommand - whether a command exists
 */
export function writtenHere(
  [first = "", second = "", ...rest]: readonly string[],
  isCommand: (words: string) => boolean,
): string | undefined {
  const two = `${first} ${second}`;
  const isTwo = Object.hasOwn(elsewhere, two) || ofKubectl.has(two);
  const words = isTwo ? two : first;
  const others = isTwo ? rest : [second, ...rest].filter((word) => word !== "");
  const known = Object.hasOwn(elsewhere, words) ? elsewhere[words] : [];
  const verb = known?.find((name) => name.startsWith("-") || isCommand(name));
  if (verb !== undefined) return ["In Lookout:  lookout", verb, ...argumentsHere(verb, others)].join(" ");
  if (!ofKubectl.has(words)) return undefined;
  return ["Lookout leaves this to kubectl:  kubectl", words, ...others.map(shellWord)].join(" ");
}

/** Returns the arguments without the resources that Lookout does not name. */
function argumentsHere(verb: string, [first = "", ...others]: readonly string[]): readonly string[] {
  if (first === "" || verb.startsWith("-") || verb.includes(" ")) return [];
  const isResource =
    resources.test(first) || kindNamed(first.replace(/s$/, "")) !== undefined || kindNamed(first) !== undefined;
  return (isResource ? others : [first, ...others]).map(shellWord);
}

function shellWord(word: string): string {
  return /^[\w./:@=,*-]+$/.test(word) ? word : JSON.stringify(word);
}
