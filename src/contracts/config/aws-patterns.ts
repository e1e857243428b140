/** The names of AWS that Lookout takes. Schemas of configurations and of stored values share them. */
export const awsPatterns = {
  region: /^[a-z]{2,4}(?:-[a-z]+){1,2}-\d{1,2}$/,
  role: /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
  /** Source: https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html (name) */
  eksCluster: /^[0-9A-Za-z][\w-]{0,99}$/,
} as const;
