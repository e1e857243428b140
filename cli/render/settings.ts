import type { SettingsView, SettingView } from "#contracts/api/process";
import type { Look } from "./look.ts";
import { renderTable } from "./table.ts";

/** Writes the settings in effect, and where each is from. */
export function renderSettings({ settings }: SettingsView, about: string, look: Look): string {
  const rows = settings.map((setting) => [setting.setting, setting.value, fromText(setting)]);
  return `${renderTable(["SETTING", "VALUE", "FROM"], rows, look)}\n${about}\n`;
}

function fromText({ source, place }: SettingView): string {
  return source === "environment" ? `the variable ${place ?? ""}` : (place ?? source);
}
