const VIEWER = Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone}|${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone });
  formats.set(key, known);
  return known;
}

const CLOCK: Intl.DateTimeFormatOptions = { hour: '2-digit', minute: '2-digit' };
const DAY: Intl.DateTimeFormatOptions = { weekday: 'short', day: 'numeric', month: 'short' };
const LONG: Intl.DateTimeFormatOptions = {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  ...CLOCK,
  timeZoneName: 'short',
};

/** A moment in words that are as short as the day allows: the hour of today, else the day, else the year too. */
export function shortTime(at: string, zone = VIEWER, now = new Date()): string {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return at;
  const day = (one: Date): string => format(zone, { year: 'numeric', month: '2-digit', day: '2-digit' }).format(one);
  const clock = format(zone, CLOCK).format(moment);
  if (day(moment) === day(now)) return clock;
  const near = Math.abs(moment.getTime() - now.getTime()) < 180 * 86_400_000;
  const date = format(zone, near ? DAY : { day: 'numeric', month: 'short', year: 'numeric' }).format(moment);
  return `${date}, ${clock}`;
}

/** A moment in full. */
export function longTime(at: string, zone = VIEWER): string {
  const moment = new Date(at);
  return Number.isNaN(moment.getTime()) ? at : format(zone, LONG).format(moment);
}

/** Whether the browser knows a zone by that name. */
function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat(undefined, { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** A moment where there is little room: the hour of today, the weekday of a day near, else the day. */
function briefTime(at: string, now = new Date()): string {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return at;
  if (moment.toDateString() === now.toDateString()) return format(VIEWER, CLOCK).format(moment);
  const days = Math.abs(moment.getTime() - now.getTime()) / 86_400_000;
  if (days < 6) return format(VIEWER, { weekday: 'short' }).format(moment);
  const near: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
  return format(VIEWER, days < 180 ? near : { ...near, year: 'numeric' }).format(moment);
}

/** A moment in the viewer's zone; that of the lead, where it is known, is told on hover and to who listens. */
export function Time({ at, zone, brief = false }: { at: string; zone?: string | null | undefined; brief?: boolean }) {
  const theirs = zone && zone !== VIEWER && isZone(zone) ? `${longTime(at, zone)} where the lead is` : null;
  return (
    <time dateTime={at} title={theirs === null ? longTime(at) : `${longTime(at)}\n${theirs}`}>
      {brief ? briefTime(at) : shortTime(at)}
      {theirs === null ? null : <span class="unseen"> ({theirs})</span>}
    </time>
  );
}

/** Hours or days until a moment, roughly; '' once it is over. */
export function until(at: string, now = Date.now()): string {
  const minutes = Math.floor((new Date(at).getTime() - now) / 60_000);
  if (!(minutes >= 0)) return '';
  if (minutes < 60) return `${Math.max(1, minutes)} min`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`;
  return `${Math.round(minutes / 1_440)} days`;
}
