/** A pattern on which an engine that goes back takes ages, and what to feed it: `pump` again and again, then `end`. */
export interface EvilPattern {
  readonly pattern: string;
  readonly pump: string;
  readonly end: string;
}

const evil = (pattern: string, pump: string, end = "_"): EvilPattern => ({ pattern, pump, end });

/** Shapes that are known to blow up: nested and overlapping repetitions, alternatives that share a beginning, long counted ones. */
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
  evil("^(.*)*A$", "a", "-"),
  evil("^(.*a){12}$", "a"),
  evil("^(.*?a){12}b$", "a"),
  evil("^.*.*.*.*.*b$", "a"),
  evil("a*a*a*a*a*a*b", "a"),
  evil(".*.*=.*", "a"),
  evil("^([a-z]+)*[0-9]$", "a"),
  evil("^([a-zA-Z0-9]+)*$", "a"),
  evil("^([a-z0-9]+-?)+$", "a1"),
  evil("^([a-z]+[-._]?)+[0-9]+$", "ab"),
  evil("^(([a-z])+.)+[A-Z]([a-z])+$", "a"),
  evil("^([0-9]+[.]?)+$", "1"),
  evil("^v?([0-9]+[.]?)*-rc$", "1"),
  evil("^[0-9]+([.][0-9]+)*([.][0-9]+)*$", "1."),
  evil("^(([0-9]+)[.]?)*$", "1"),
  evil("^([0-9]{1,3}[.]?){1,40}$", "1"),
  evil("^(?:[a-f0-9]+)+-[a-z]+$", "f"),
  evil("^(\\w+\\.?)+$", "a", "-"),
  evil("^(\\w+[-.]?)*$", "a", "--"),
  evil("^(\\w*\\d*)*x$", "1"),
  evil("(\\d+\\d+)+x", "1"),
  evil("^(\\d+|\\w+)+$", "1", "-"),
  evil("^(x+x+)+y$", "x"),
  evil("(x+x+)+y", "x"),
  evil("^(main|mai|ma|m)*n$", "ma"),
  evil("^(rc|r|c)*$", "rc"),
  evil("^(-?[a-z]+)+[.]$", "-a"),
  evil("(?:a+a+)+(?:b+b+)+c", "ab"),
  evil("^(?:(?:a|b)|(?:a|c))*d$", "a"),
  evil("^(?P<x>a*)(?P<y>a*)(?P<z>a*)b$", "a"),
  evil("^(([a-z0-9]+)[-_]?)*(alpha|beta|rc)[0-9]*$", "a0-"),
  evil("([a-z]+){5,}[0-9]{5,}", "a"),
  evil("^(a{1,20}){1,20}$", "a"),
  evil("^(.{1,60}){2}[^a]$", "a", "a"),
];

/** The tag of 128 characters that a pattern is fed; it does not match. */
export function fodderOf({ pump, end }: EvilPattern): string {
  return pump.repeat(128).slice(0, 128 - end.length) + end;
}
