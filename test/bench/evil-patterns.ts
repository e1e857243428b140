/** A pattern that makes a backtracking engine slow, and the parts of a matching text. */
export interface EvilPattern {
  readonly pattern: string;
  /** The text that is repeated. */
  readonly pump: string;
  /** A text that the pattern also requires. An engine may search for this text first. */
  readonly needs: string;
  /** A text that the pattern never matches. */
  readonly end: string;
}

const evil = (pattern: string, pump: string, needs = "", end = "_"): EvilPattern => ({ pattern, pump, needs, end });

/**
 * Known slow patterns: nested, overlapping and counted repetitions, alternatives with a common
 * start, many groups.
 */
export const evilPatterns: readonly EvilPattern[] = [
  evil("^(a+)+$", "a"),
  evil("^(a*)*$", "a"),
  evil("^(a+)*$", "a"),
  evil("^(a*)+$", "a"),
  evil("^((a+)+)+$", "a"),
  evil("^(a|a)*$", "a"),
  evil("^(a|aa)+$", "a"),
  evil("^(a|a?)+$", "a"),
  evil("^(aa|aaa)+$", "a"),
  evil("^(a?){64}a{64}$", "a"),
  evil("^(a+){10}$", "a"),
  evil("^(a*){32}$", "a"),
  evil("^(.*)*A$", "a", "A", "-"),
  evil("^(.*a){12}$", "a"),
  evil("^(.*?a){12}b$", "a", "b"),
  evil("^.*.*.*.*.*b$", "a", "b"),
  evil("a*a*a*a*a*a*b", "a", "b"),
  evil(".*.*=.*", "a", "="),
  evil("^([a-z]+)*[0-9]$", "a", "1"),
  evil("^([a-zA-Z0-9]+)*$", "a"),
  evil("^([a-z0-9]+-?)+$", "a1"),
  evil("^([a-z]+[-._]?)+[0-9]+$", "ab", "1"),
  evil("^(([a-z])+.)+[A-Z]([a-z])+$", "a", "Aa"),
  evil("^([0-9]+[.]?)+$", "1"),
  evil("^v?([0-9]+[.]?)*-rc$", "1", "-rc"),
  evil("^[0-9]+([.][0-9]+)*([.][0-9]+)*$", "1.", "1"),
  evil("^(([0-9]+)[.]?)*$", "1"),
  evil("^([0-9]{1,3}[.]?){1,40}$", "111."),
  evil("^(?:[a-f0-9]+)+-[a-z]+$", "f", "-a"),
  evil("^(\\w+\\.?)+$", "a", "", "-"),
  evil("^(\\w+[-.]?)*$", "a", "", "--"),
  evil("^(\\w*\\d*)*x$", "1", "x"),
  evil("(\\d+\\d+)+x", "1", "x"),
  evil("^(\\d+|\\w+)+$", "1", "", "-"),
  evil("^(x+x+)+y$", "x", "y"),
  evil("(x+x+)+y", "x", "y"),
  evil("^(main|mai|ma|m)*n$", "ma", "main"),
  evil("^(rc|r|c)*$", "rc"),
  evil("^(-?[a-z]+)+[.]$", "-a", "a."),
  evil("(?:a+a+)+(?:b+b+)+c", "ab", "aabbc"),
  evil("^(?:(?:a|b)|(?:a|c))*d$", "a", "d"),
  evil("^(?P<x>a*)(?P<y>a*)(?P<z>a*)b$", "a", "b"),
  evil("^(([a-z0-9]+)[-_]?)*(alpha|beta|rc)[0-9]*$", "a0-", "rc"),
  evil("([a-z]+){5,}[0-9]{5,}", "a", "12345"),
  evil("^(a{1,10}){1,20}$", "a"),
  evil("^(.{1,70}){2}[^a]$", "a", "b", "a"),
  evil(`^${"(a?)".repeat(90)}a{38}$`, "a", "a"),
  evil(`^${"(.*)".repeat(120)}b$`, "a", "b"),
];

/**
 * Returns two tags of 128 characters: a tag that matches at its last character, and a tag that does
 * not match. If the pattern has no end, the second tag lacks the required text.
 */
export function tagsFor({ pattern, pump, needs, end }: EvilPattern): { readonly hit: string; readonly miss: string } {
  const pumped = (length: number): string => pump.repeat(length).slice(0, length);
  const middle = pattern.endsWith("$") ? needs : "";
  const before = pumped(64);
  return {
    hit: pumped(128 - needs.length) + needs,
    miss: before + middle + pumped(128 - before.length - middle.length - end.length) + end,
  };
}
