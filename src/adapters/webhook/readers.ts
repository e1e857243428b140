import type { ReceiverKind } from "#contracts/config/receiver-kinds";
import type { NotificationReader } from "./reading.ts";

/** The file of each kind of receiver. The first receiver of a kind loads it. */
const readers: Readonly<Record<ReceiverKind, () => Promise<{ readonly reader: NotificationReader }>>> = {
  acr: () => import("./acr.ts"),
  "acr-eventgrid": () => import("./acr-eventgrid.ts"),
  "aliyun-acr": () => import("./aliyun-acr.ts"),
  cdevents: () => import("./cdevents.ts"),
  cloudevents: () => import("./cloudevents.ts"),
  distribution: () => import("./distribution.ts"),
  dockerhub: () => import("./dockerhub.ts"),
  ecr: () => import("./ecr.ts"),
  "gcr-gar": () => import("./gcr-gar.ts"),
  generic: () => import("./generic.ts"),
  ghcr: () => import("./ghcr.ts"),
  gitea: () => import("./gitea.ts"),
  harbor: () => import("./harbor.ts"),
  jfrog: () => import("./jfrog.ts"),
  msr: () => import("./msr.ts"),
  nexus: () => import("./nexus.ts"),
  quay: () => import("./quay.ts"),
  zot: () => import("./zot.ts"),
};

const loaded = new Map<ReceiverKind, NotificationReader>();

/**
 * Loads the reader of a kind once. An import for each notification would take a twentieth of the
 * time to handle the notification.
 */
export async function loadReader(kind: ReceiverKind): Promise<NotificationReader> {
  const reader = loaded.get(kind) ?? (await readers[kind]()).reader;
  loaded.set(kind, reader);
  return reader;
}
