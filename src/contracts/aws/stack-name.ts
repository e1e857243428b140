const name = "[A-Za-z][A-Za-z0-9-]{0,127}";
const isName = new RegExp(`^${name}$`);
const isArn = new RegExp(`^arn:[a-z-]+:cloudformation:[a-z0-9-]+:\\d{12}:stack/${name}/[0-9a-f-]+$`);

/** The form of a stack's name, in words. */
export const stackNameForm = "letters, digits and dashes, at most 128, with a letter first";

/**
 * Returns whether CloudFormation accepts a text as the name of a new stack.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html
 */
export function isStackName(text: string): boolean {
  return isName.test(text);
}

/** Returns whether a text is the ARN of a stack, which CloudFormation accepts as its name. */
export function isStackArn(text: string): boolean {
  return isArn.test(text);
}
