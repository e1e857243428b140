export { loadPatternCompiler } from "#adapters/re2js/matcher";
