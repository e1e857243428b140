import type { Command } from "commander";
import type { AddVerb } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";

const shells = ["bash", "zsh", "fish", "powershell"];

/** `lookout completion SHELL` */
export const addCompletion: AddVerb = (program) => {
  program
    .command("completion")
    .description("print the script that completes commands and options in your shell")
    .argument("<shell>", `one of ${shells.join(", ")}`)
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        "  lookout completion bash > ~/.local/share/bash-completion/completions/lookout",
        "  source <(lookout completion zsh)",
        "  lookout completion fish > ~/.config/fish/completions/lookout.fish",
      ].join("\n"),
    )
    .action(async (shell: string) => {
      if (!shells.includes(shell))
        throw new Failure(exitCodes.wrongInput, `"${shell}" is no known shell: expected ${shells.join(", ")}.`);
      const { script } = await import("@bomb.sh/tab");
      script(shell, "lookout", "lookout");
    });
};

/** The first argument of the requests that the scripts send: `complete -- ARGUMENTS`. */
export const completeRequest = "complete";

/** Prints what may follow the given arguments, in the form of the scripts. The library adds its own `completion`. */
export async function complete(
  [, , ...typed]: readonly string[],
  programWithout: (verb: AddVerb) => Command,
): Promise<void> {
  const { default: completionOf } = await import("@bomb.sh/tab/commander");
  completionOf(programWithout(addCompletion), { completionCommandName: "completion" }).parse(typed);
}
