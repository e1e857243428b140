/** The names of AWS that Lookout takes. Schemas of configurations and of stored values share them. */
export const awsPatterns = {
  region: /^[a-z]{2,4}(?:-[a-z]+){1,2}-\d{1,2}$/,
  role: /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
  /**
   * The actions that an alarm of Lookout can call. Source:
   * https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html
   */
  alarmAction:
    /^arn:aws[a-z-]*:(?:sns:[a-z0-9-]+:\d{12}:[\w-]{1,256}|lambda:[a-z0-9-]+:\d{12}:function:[\w-]{1,64}(?::[\w$-]{1,128})?|ssm:[a-z0-9-]+:\d{12}:opsitem:[1-4](?:#CATEGORY=[A-Za-z]{1,20})?|ssm-incidents::\d{12}:response-plan\/[\w-]{1,200})$/,
  /** Source: https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html (name) */
  eksCluster: /^[0-9A-Za-z][\w-]{0,99}$/,
} as const;
