/**
 * Whether keys without a modifier, such as letters, are shortcuts. Speech input and some hands press them by accident,
 * so users can switch them off. The viewer shares the choice through the same storage key.
 */
import { storedSettings, storeSettings } from "./theme";

export function hasSingleKeys(): boolean {
  return storedSettings().hasSingleKeys !== false;
}

export function setSingleKeys(on: boolean): void {
  storeSettings({ hasSingleKeys: on });
}

/** Return whether a key is a single character without a modifier: a letter, digit or sign. */
export function isSingleKey(event: KeyboardEvent): boolean {
  return event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
}

/** Return whether a key press enters text, so that it is never a shortcut. */
export function isTyping(event: KeyboardEvent): boolean {
  if (event.isComposing) return true;
  const target = event.target as Element | null;
  const field = "input:not([type=checkbox], [type=radio], [type=range], [type=button]), textarea, select";
  return target?.closest?.(`${field}, [contenteditable]`) != null;
}
