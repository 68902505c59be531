import { partsOf } from '../ical/event-text.ts';
import { zoneByName } from '../ical/zone-names.ts';

/** The zone that a calendar object says (VTIMEZONE), as IANA calls it; null: none that is known. */
export function readEventZone(text: string): string | null {
  const lines = partsOf(text).parts.flatMap((part) => part.lines);
  const names = lines.flatMap((line) => /^(?:TZID|X-LIC-LOCATION)(?:;[^:]*)?:(.+)$/i.exec(line)?.[1] ?? []);
  for (const name of names) {
    const zone = zoneByName(name);
    if (zone !== null) return zone;
  }
  return null;
}
