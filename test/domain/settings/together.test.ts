import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import { annotated } from "../builders.ts";

const web = { list: "containers", name: "web", image: "registry.test/shop/web:1.0.0" } as const;
const worker = { list: "containers", name: "worker", image: "registry.test/shop/worker:1.0.0" } as const;
const migrate = { list: "initContainers", name: "migrate", image: "registry.test/shop/migrate:1.0.0" } as const;

const problemsOf = (
  settings: Readonly<Record<string, string>>,
  containers: readonly (typeof web | typeof worker | typeof migrate)[],
) => {
  const { together, problems } = parseSettings(annotated(settings), containers);
  return { together, problems };
};
const problem = (message: string, value = "true") => [{ key: "lookout.dev/together", value, message, closes: true }];

describe("the setting together", () => {
  it("is off without the annotation", () => {
    expect(problemsOf({}, [web])).toEqual({ together: false, problems: [] });
  });

  it("holds for two tracked containers", () => {
    expect(problemsOf({ together: "true" }, [web, worker])).toEqual({ together: true, problems: [] });
    expect(problemsOf({ together: "true", "initContainer.migrate.enabled": "true" }, [web, migrate])).toEqual({
      together: true,
      problems: [],
    });
  });

  it("is off when it is false, also for one container", () => {
    expect(problemsOf({ together: "false" }, [web])).toEqual({ together: false, problems: [] });
  });

  it.each([
    {
      because: "there is one container",
      settings: {},
      containers: [web],
      message: "needs two tracked containers, and only the container web is tracked: remove this annotation",
    },
    {
      because: "the init container is not tracked",
      settings: {},
      containers: [web, migrate],
      message:
        "needs two tracked containers, and only the container web is tracked: set lookout.dev/initContainer.migrate.enabled to true, or remove this annotation",
    },
    {
      because: "no container is tracked",
      settings: { "container.web.enabled": "false" },
      containers: [web],
      message:
        "needs two tracked containers, and no container is tracked: set lookout.dev/container.web.enabled to true, or remove this annotation",
    },
    {
      because: "a container follows its running tag",
      settings: { "container.worker.policy": "digest" },
      containers: [web, worker],
      message:
        "the container worker keeps its tag (policy digest): give the container a policy that selects tags, or set lookout.dev/container.worker.enabled to false",
    },
    {
      because: "a container is pinned",
      settings: { "container.web.policy": "pinned" },
      containers: [web, worker],
      message:
        "the container web keeps its tag (policy pinned): give the container a policy that selects tags, or set lookout.dev/container.web.enabled to false",
    },
  ])("is a problem when $because", ({ settings, containers, message }) => {
    expect(problemsOf({ together: "true", ...settings }, containers)).toEqual({
      together: true,
      problems: problem(message),
    });
  });

  it("is a problem with another value", () => {
    expect(problemsOf({ together: "both" }, [web, worker])).toEqual({
      together: false,
      problems: problem("expected true or false", "both"),
    });
  });
});
