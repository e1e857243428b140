/**
 * A login method that a server demands with status 401. Parameters have lower-case names and
 * unquoted values.
 */
export interface Challenge {
  /** The scheme in lower case. */
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const name = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const equals = /[ \t]*=[ \t]*/y;
const quoted = /"((?:[^"\\]|\\.)*)"/y;
const unquoted = /[^\s,"]+/y;
const separator = /[\s,]+/y;

/**
 * Parses the challenges of a `WWW-Authenticate` header, in its order.
 *
 * If a parameter is repeated, the parser keeps the first value. An invalid part drops its challenge
 * and all later challenges.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-www-authenticate
 */
export function parseChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };

  for (take(separator); at < header.length; take(separator)) {
    const word = take(name)?.[0].toLowerCase();
    const current = challenges.at(-1);
    if (word === undefined) return challenges.slice(0, -1);
    if (take(equals) === null) {
      challenges.push({ scheme: word, parameters: new Map() });
      continue;
    }
    const value = take(quoted)?.[1]?.replace(/\\(.)/g, "$1") ?? take(unquoted)?.[0];
    if (value === undefined || current === undefined) return challenges.slice(0, -1);
    if (!current.parameters.has(word)) current.parameters.set(word, value);
  }
  return challenges;
}
