/** What a CDK app uses of Lookout (docs/construct.md). */
export { Lookout, type LookoutProps } from "./stack/lookout.ts";
export { LookoutStack, type LookoutStackProps } from "./stack/lookout-stack.ts";
export { LookoutMember, type LookoutMemberProps } from "./stack/lookout-member.ts";
export { Settings } from "./stack/settings.ts";
export { Cluster, type ClusterOptions, type EksClusterOptions, type NamedClusterOptions } from "./stack/cluster.ts";
export { type AddedReceiver, ReceiverKind, type ReceiverOptions } from "./messaging/added-receivers.ts";
export type { AlarmThresholds, MonitoringProps } from "./observability/alarms.ts";
export type { ApproveOptions } from "./access/api-grants.ts";
