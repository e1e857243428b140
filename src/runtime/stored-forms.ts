/** Exported again, because the command may import the runtime, but not the stored kinds. */
export { kindForms } from "#stored/kinds";
