/**
 * The names of the outputs of a stack with a Lookout construct. The names begin with `Lookout`,
 * because the stack may have outputs of its own.
 */
export const stackOutputs = {
  apiUrl: "LookoutApiUrl",
  webhookUrl: "LookoutWebhookUrl",
  busArn: "LookoutBusArn",
  tableName: "LookoutTableName",
  accessRoleArn: "LookoutAccessRoleArn",
  registryRoleArn: "LookoutRegistryRoleArn",
  keptQueueUrl: "LookoutKeptQueueUrl",
  awsAuthEntry: "LookoutAwsAuthEntry",
  alarmTopicArn: "LookoutAlarmTopicArn",
  receiverSecrets: "LookoutReceiverSecrets",
  manifestsCommand: "LookoutManifestsCommand",
} as const;
