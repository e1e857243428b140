import type { Command } from "commander";

/** The groups of commands in the help, in order. A command without a row comes last. */
const groups: readonly (readonly [heading: string, names: readonly string[]])[] = [
  [
    "See:",
    [
      "status",
      "watch",
      "explain",
      "history",
      "images",
      "digest",
      "updates",
      "tiers",
      "outdated",
      "wait",
      "freezes",
      "approvals",
    ],
  ],
  ["Change:", ["push", "sweep", "set", "rollback", "skip", "release", "retry", "suspend", "resume", "unblock"]],
  ["Keep safe:", ["approve", "reject", "freeze", "unfreeze", "quarantine"]],
  ["Set up:", ["start", "demo", "cluster", "registry", "channel", "webhook", "config", "token", "completion"]],
  ["Try settings:", ["policy", "window", "workload", "image"]],
  ["Look after Lookout:", ["doctor", "backup", "export", "import", "version"]],
];

/** Sorts commands into the groups of the help. */
export function groupCommands(program: Command): void {
  const order = groups.flatMap(([, names]) => names);
  const rank = (command: Command): number =>
    order.includes(command.name()) ? order.indexOf(command.name()) : order.length;
  // Commander shows commands in the order of this list.
  (program.commands as Command[]).sort((one, other) => rank(one) - rank(other));
  for (const command of program.commands) {
    const [heading = "Other commands:"] = groups.find(([, names]) => names.includes(command.name())) ?? [];
    command.helpGroup(heading);
    command.summary(summaryOf(command.description()));
  }
}

const mostLetters = 66;

/** Returns the part of a description that fits into a line. */
function summaryOf(description: string): string {
  if (description.length <= mostLetters) return description;
  const [sentence = ""] = description.split(/[;:]/);
  if (sentence.length <= mostLetters) return sentence;
  return sentence.split(/, (?=and|also|the|needs)/).at(0) ?? sentence;
}
