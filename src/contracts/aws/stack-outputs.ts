/**
 * What the outputs of a stack are called that tell where Lookout is, whosever stack it is in. Commands, people and other stacks find it by
 * these; their names say whose they are, so that they stand beside the stack's own.
 */
export const stackOutputs = {
  apiUrl: "LookoutApiUrl",
  webhookUrl: "LookoutWebhookUrl",
  busArn: "LookoutBusArn",
  tableName: "LookoutTableName",
  accessRoleArn: "LookoutAccessRoleArn",
  alarmTopicArn: "LookoutAlarmTopicArn",
  receiverSecrets: "LookoutReceiverSecrets",
  manifestsCommand: "LookoutManifestsCommand",
} as const;
