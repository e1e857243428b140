import js from "@eslint/js";
import jsdoc from "eslint-plugin-jsdoc";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

/* test/lint-rules.test.ts plants a violation of every rule that is written here. */

const TAKE_NOW = "Take `now` as an argument.";
const ADD_A_PORT = "Add a port.";

const source = ["bin/**/*.ts", "cli/**/*.ts", "functions/**/*.ts", "lib/**/*.ts", "src/**/*.ts", "tools/**/*.ts"];
const documented = ["src/domain/**/*.ts", "src/ports/**/*.ts", "src/app/**/*.ts", "src/contracts/**/*.ts"];

// A later `no-restricted-syntax` replaces an earlier one, so each folder's list is put together from these.
const everywhere = [
  { selector: "ExportDefaultDeclaration", message: "Export by name." },
  { selector: "TSEnumDeclaration", message: "Use a union of literals." },
];
const clock = [
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: TAKE_NOW },
  { selector: "CallExpression[callee.name='Date']", message: TAKE_NOW },
];
const waiting = [
  ":function[async=true]",
  "AwaitExpression",
  "ForOfStatement[await=true]",
  "VariableDeclaration[kind='await using']",
].map((selector) => ({ selector, message: "The domain is synchronous: let the use case await values." }));
const mocking = [
  {
    selector: "MemberExpression[object.name='vi'][property.name=/^(mock|doMock|hoisted|importMock)$/]",
    message: "Use a memory adapter or the real part.",
  },
];
const skipping = ["object.name", "object.object.name"].map((path) => ({
  selector: `MemberExpression[${path}=/^(it|test|describe|suite)$/][property.name=/^(skip|only|todo)$/]`,
  message: "Every test runs: mend it or delete it.",
}));

const ambientProperties = [
  { object: "Date", property: "now", message: TAKE_NOW },
  { object: "Temporal", property: "Now", message: TAKE_NOW },
  { object: "AbortSignal", property: "timeout", message: "Take the signal as an argument." },
  { object: "Math", property: "random", message: ADD_A_PORT },
];
const ambientGlobals = [
  "process",
  "console",
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "crypto",
  "queueMicrotask",
].map((name) => ({ name, message: ADD_A_PORT }));
const restrictGlobals = (...more) => [
  "error",
  { globals: [...ambientGlobals, { name: "performance", message: TAKE_NOW }, ...more], checkGlobalObject: true },
];

const requireDocs = (publicOnly, contexts) => [
  "error",
  {
    publicOnly,
    enableFixer: false,
    require: { FunctionDeclaration: true, ArrowFunctionExpression: publicOnly, ClassDeclaration: true },
    contexts: ["TSInterfaceDeclaration", "TSTypeAliasDeclaration", ...contexts],
  },
];

export default defineConfig(
  globalIgnores(["**/node_modules/", "coverage/", "reports/", "dist/", "cdk.out/", "**/.*/"]),
  {
    linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: "error", reportUnusedInlineConfigs: "error" },
  },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/no-unnecessary-condition": [
        "error",
        { allowConstantLoopConditions: "only-allowed-literals" },
      ],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", caughtErrors: "all", ignoreRestSiblings: true },
      ],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // A `default:` in a switch over a union would hide the next member that is added to it.
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: false, requireDefaultForNonUnion: true },
      ],
      eqeqeq: "error",
      "no-restricted-syntax": ["error", ...everywhere],
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  {
    files: source,
    rules: {
      complexity: ["error", { max: 12, variant: "modified" }],
    },
  },
  {
    // An async method that awaits nothing turns what it throws into a rejection, as a port's caller expects.
    files: ["src/adapters/**/*.ts", "test/**/*.ts"],
    rules: { "@typescript-eslint/require-await": "off" },
  },
  {
    files: documented,
    plugins: { jsdoc },
    settings: { jsdoc: { mode: "typescript" } },
    rules: {
      "jsdoc/check-param-names": ["error", { disableMissingParamChecks: true }],
      "jsdoc/check-tag-names": "error",
      "jsdoc/informative-docs": "error",
      "jsdoc/no-blank-blocks": "error",
      "jsdoc/no-types": "error",
      "jsdoc/require-jsdoc": requireDocs(true, []),
    },
  },
  {
    files: ["src/ports/**/*.ts"],
    rules: {
      "jsdoc/require-jsdoc": requireDocs(false, [
        "TSMethodSignature",
        "TSPropertySignature[typeAnnotation.typeAnnotation.type='TSFunctionType']",
      ]),
    },
  },
  {
    // What it exports besides serves requests.
    files: ["src/contracts/**/*.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          paths: [
            {
              name: "@hono/zod-openapi",
              allowImportNames: ["createRoute", "z"],
              message: "A contract describes routes; src/runtime serves them.",
            },
          ],
        },
      ],
    },
  },
  {
    files: ["src/domain/**/*.ts", "src/app/**/*.ts"],
    rules: {
      "no-restricted-globals": restrictGlobals(),
      "no-restricted-properties": ["error", ...ambientProperties],
      "no-restricted-syntax": ["error", ...everywhere, ...clock],
    },
  },
  {
    files: ["src/domain/**/*.ts"],
    rules: {
      "no-restricted-globals": restrictGlobals({ name: "Promise", message: "The domain is synchronous." }),
      "no-restricted-syntax": ["error", ...everywhere, ...clock, ...waiting],
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: {
      "@typescript-eslint/no-non-null-assertion": "off",
      "no-restricted-syntax": ["error", ...everywhere, ...mocking, ...skipping],
    },
  },
  {
    // Its tool reads the default export.
    files: ["vitest*.config.ts"],
    rules: { "no-restricted-syntax": "off" },
  },
  {
    files: ["**/*.js", "**/*.mjs"],
    languageOptions: {
      globals: {
        process: "readonly",
        URL: "readonly",
        console: "readonly",
        fetch: "readonly",
        AbortSignal: "readonly",
      },
    },
  },
  {
    // It runs in a browser.
    files: ["test/cluster/hostile-page/attempts.js"],
    rules: { "no-undef": "off" },
  },
);
