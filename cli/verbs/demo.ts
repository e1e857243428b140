import type { DemoCommand } from "#runtime/local/demo";
import type { TourName } from "#runtime/local/demo-tours";
import { type AddVerb, choice, type Context, styleOf, withExamples } from "../context.ts";

interface DemoFlags {
  readonly output: "text" | "json";
  readonly tour: TourName;
}

const tours: readonly TourName[] = ["usual", "told", "tiers"];

/** `lookout demo` */
export const addDemo: AddVerb = (program, context) => {
  const { world, setExitCode } = context;
  const command = program
    .command("demo")
    .description("run a 20-second tour: a push, a held update, a broken image that is rolled back, and an approval")
    .addOption(choice("-o, --output <format>", "the format of the events", ["text", "json"]).default("text"))
    .addOption(
      choice(
        "--tour <name>",
        "the tour; told: what a receiver on this machine is told; tiers: dev before prod",
        tours,
      ).default("usual"),
    )
    .action(async ({ output, tour }: DemoFlags) => {
      const { playDemo } = await import("#runtime/local/demo");
      const isPlain = !styleOf(world).colour;
      const options = { output, tour, isPlain, outputClosed: world.outputClosed() };
      setExitCode(await playDemo({ ...options, command: commandOfDemo(context) }));
    });
  withExamples(command, [
    ["lookout demo", "needs no cluster, no registry and no account"],
    ["lookout demo --tour told", "shows the signed messages of a channel"],
    ["lookout demo --tour tiers", "updates dev before prod, and keeps a broken image from prod"],
  ]);
};

/** Returns the function that runs a command against the demo, instead of the server of the environment. */
function commandOfDemo({ world, run }: Context): DemoCommand {
  return async (typed, { serve, clock }) => {
    const written: string[] = [];
    const sink = { write: (text: string) => written.push(text) };
    const { LOOKOUT_STACK: _, ...environment } = world.environment;
    await run(typed, {
      ...world,
      environment: { ...environment, LOOKOUT_SERVER: "http://127.0.0.1", LOOKOUT_TOKEN: "demo" },
      fetch: (url, request) => serve(new Request(url, request)),
      now: () => clock.now(),
      timeZone: "UTC",
      stdout: sink,
      stderr: sink,
    });
    return written.join("");
  };
}
