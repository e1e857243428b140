/** The app of a stack with a restored table and a receiver of its own, as docs/restore.md describes it. */
import { App, Stack } from "aws-cdk-lib";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Lookout, ReceiverKind, Settings } from "#lib/index";

const { LOOKOUT_STACK, LOOKOUT_CONFIG, RESTORED_TABLE = "", RESTORED_STREAM = "" } = process.env;
const { CDK_DEFAULT_ACCOUNT: account = "", CDK_DEFAULT_REGION: region = "" } = process.env;

const stack = new Stack(new App(), LOOKOUT_STACK, { env: { account, region } });
const table = TableV2.fromTableAttributes(stack, "Restored", {
  tableArn: RESTORED_TABLE,
  tableStreamArn: RESTORED_STREAM,
  globalIndexes: ["due"],
});
const lookout = new Lookout(stack, "Lookout", { table, settings: Settings.fromFile(LOOKOUT_CONFIG) });
lookout.addReceiver("added", { kind: ReceiverKind.GENERIC });
