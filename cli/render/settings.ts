import { reloadLines } from "./reloads.ts";
import type { SettingsView, SettingView } from "#contracts/api/process";
import type { Style } from "./style.ts";
import { renderTable } from "./table.ts";

/** Returns a table of the settings in effect and their sources. */
export function renderSettings({ settings, reloads }: SettingsView, about: string, style: Style): string {
  const rows = settings.map((setting) => [setting.setting, setting.value, fromText(setting)]);
  return `${renderTable(["SETTING", "VALUE", "FROM"], rows, style)}${reloadLines(reloads, style).join("")}\n${about}\n`;
}

function fromText({ source, place }: SettingView): string {
  return source === "environment" ? `the variable ${place ?? ""}` : (place ?? source);
}
