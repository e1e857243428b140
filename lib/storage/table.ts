/** The table, which holds all state. */
import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, Billing, ProjectionType, StreamViewType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Construct } from "constructs";
import { environment } from "#contracts/aws/environment";
import { tableShape } from "#contracts/aws/table";
import type { Grantee } from "../shared/grantee.ts";

const { dueIndex, expiryAttribute, partitionKey, sortKey } = tableShape;
const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The actions of the adapters. Scan is not allowed, because each list has its own partition. */
const rights = {
  read: ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"],
  write: ["BatchWriteItem", "ConditionCheckItem", "DeleteItem", "PutItem", "UpdateItem"].map(
    (action) => `dynamodb:${action}`,
  ),
  append: ["dynamodb:PutItem"],
};

/**
 * The table of an installation. The table outlives the stack, because nothing else stores the
 * blocked digests, the approvals and the freezes.
 *
 * The table is protected against deletion. So the policy is not `RetainExceptOnCreate`: after a failed
 * first deployment, CloudFormation would fail to delete the protected table, and the roll-back would
 * fail too. The table left by that deployment is empty, costs nothing, and is in nobody's way, because
 * its name is generated.
 */
export class LookoutTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new TableV2(this, "Table", {
      partitionKey: text(partitionKey),
      sortKey: text(sortKey),
      globalSecondaryIndexes: [
        {
          indexName: dueIndex.name,
          partitionKey: text(dueIndex.partitionKey),
          sortKey: text(dueIndex.sortKey),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      billing: Billing.onDemand(),
      timeToLiveAttribute: expiryAttribute,
      dynamoStream: StreamViewType.NEW_IMAGE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /**
   * Lets a function read items and list overdue records, and sets the variable with the table's
   * name.
   */
  grantRead(fn: Grantee): void {
    const { tableArn, tableName } = this.table;
    fn.tell(environment.table, tableName);
    fn.allow(rights.read, [tableArn]);
    fn.allow(["dynamodb:Query"], [`${tableArn}/index/${dueIndex.name}`]);
  }

  /** Does {@link grantRead}, and lets the function write items. */
  grantReadWrite(fn: Grantee): void {
    this.grantRead(fn);
    fn.allow(rights.write, [this.table.tableArn]);
  }

  /** Lets a function put items but read none, and sets the variable with the table's name. */
  grantAppend(fn: Grantee): void {
    fn.tell(environment.table, this.table.tableName);
    fn.allow(rights.append, [this.table.tableArn]);
  }

  /** The ARN of the table's stream. */
  get streamArn(): string {
    const { tableStreamArn } = this.table;
    if (tableStreamArn === undefined) throw new Error("the table has no stream");
    return tableStreamArn;
  }

  /** Lets a function read the stream. */
  grantReadStream(fn: Grantee): void {
    fn.allow(["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"], [this.streamArn]);
    fn.allowMatching(["dynamodb:ListStreams"], ["*"], "accountWide");
  }
}
