import {
  conditionColumn,
  conditions,
  type DefinitionForm,
  object,
  observedGeneration,
  instant,
  type Schema,
  text,
  whyColumns,
} from "./schema.ts";

const flag = (description: string, usual?: boolean): Schema => ({
  ...{ type: "boolean", description },
  ...(usual === undefined ? {} : { default: usual }),
});

const count = (usual: number, least: number, most: number): Schema => ({
  ...{ type: "integer", format: "int32", default: usual, minimum: least, maximum: most },
});

/** A duration as Go writes it. */
const duration = (usual?: string): Schema => ({
  ...{ type: "string", minLength: 1, maxLength: 64, description: "A duration, such as 5m." },
  ...(usual === undefined ? {} : { default: usual }),
});

const url = (): Schema => ({ ...text(2_048, "The address of the registry."), pattern: "^https?://" });

const name = (): Schema => ({ type: "string", minLength: 1, maxLength: 253 });

const secretRef = (key: Schema): Schema => object({ name: name(), namespace: name(), key }, ["name"]);

const auth = object({
  workloadIdentity: object({ enabled: flag("true: the identity of the pod.", false) }),
  secretRef: {
    ...secretRef(name()),
    description: "A Secret with a credential. Lookout never reads Secrets: write the credential into lookout.yaml.",
  },
  serviceAccountRef: object({ name: name(), namespace: name() }, ["name"]),
});

/** The blocks of the types, each under the key of its type. */
const blocks = {
  ecr: object({ region: text(63, "The region of AWS."), accountId: text(12, "The number of the account.") }, [
    "region",
  ]),
  harbor: object(
    { url: url(), project: text(255, "The project."), insecureSkipVerify: flag("true: any certificate.") },
    ["url"],
  ),
  dockerHub: object({ organization: text(255, "The organization.") }),
  gcr: object({ project: text(255, "The project."), location: { ...text(63, "The location."), default: "us" } }, [
    "project",
  ]),
  acr: object(
    {
      subscriptionId: text(255, "The subscription."),
      resourceGroup: text(255, "The group."),
      registryName: text(63, "The registry."),
    },
    ["subscriptionId", "resourceGroup", "registryName"],
  ),
  generic: object({ url: url(), apiVersion: { ...text(16, "The version of its API."), default: "v2" } }, ["url"]),
};

/** `ImageRegistry`: a registry, by a name. */
export const imageRegistry: DefinitionForm = {
  kind: "ImageRegistry",
  shortNames: ["ir", "imgreg"],
  about: "Names a registry. lookout.yaml decides about its host, credential and limits: lookout registry import.",
  spec: object(
    {
      type: { type: "string", enum: ["ecr", "harbor", "dockerhub", "gcr", "acr", "quay", "generic"] },
      ...blocks,
      auth,
      rateLimiting: object({ requestsPerSecond: count(10, 1, 100), burst: count(20, 1, 200) }),
      circuitBreaker: object({
        enabled: flag("false: requests never pause.", true),
        failureThreshold: count(5, 1, 1_000_000),
        successThreshold: count(2, 1, 1_000_000),
        timeout: duration("5m"),
      }),
      scan: object({
        minInterval: duration("1m"),
        defaultInterval: duration("5m"),
        tagLimit: count(100, 10, 1_000),
        sortBy: { type: "string", enum: ["pushedAt", "tagName"] },
      }),
      checkInterval: duration(),
      tls: object({
        insecureSkipVerify: flag("true: any certificate."),
        caSecretRef: secretRef({ ...name(), default: "ca.crt" }),
      }),
    },
    ["type"],
  ),
  status: object({
    observedGeneration: observedGeneration(),
    conditions: conditions(["Ready", "AuthValid", "AuthExpiringSoon", "RateLimited", "CircuitOpen"]),
    // Lookout does not write the next three. An object that was saved from another controller has them.
    lastConnectedAt: instant("The time of the last answer, by an earlier controller."),
    circuitBreaker: object({
      state: { type: "string", maxLength: 16 },
      failures: { type: "integer", format: "int32" },
      lastFailure: instant("The time of the last failure."),
    }),
    auth: object({
      valid: flag("true: the registry took the credential."),
      expiresAt: instant("The end of the credential."),
      lastValidated: instant("The time of the last login."),
    }),
  }),
  columns: [{ name: "Type", type: "string", jsonPath: ".spec.type" }, conditionColumn("Ready"), ...whyColumns("Ready")],
};
