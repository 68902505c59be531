import ICAL from 'ical.js';

/** A property as it was written: name and parameters in lower case, its values by their type. */
export interface Property {
  parameters: Readonly<Record<string, string | readonly string[]>>;
  type: string;
  values: readonly unknown[];
}

/** A part of a calendar (VCALENDAR, VEVENT …) as it was written. */
export interface Component {
  name: string;
  /** All properties of a name, in their order. */
  all(name: string): readonly Property[];
  parts: readonly Component[];
}

type JCal = [name: string, properties: unknown[][], parts: JCal[]];

/** The calendars of a text. The library only cuts it into tokens: what a time means is ours to say. @throws Error */
export function readComponents(text: string): Component[] {
  const read = ICAL.parse(text.replace(/^\uFEFF/, '')) as unknown[];
  if (read.length === 0) throw new Error('an object of it is empty');
  return (typeof read[0] === 'string' ? [read as JCal] : (read as JCal[])).map(componentOf);
}

function componentOf([name, properties, parts]: JCal): Component {
  const byName = new Map<string, Property[]>();
  for (const [property, parameters, type, ...values] of properties) {
    const known = byName.get(String(property)) ?? [];
    known.push({ parameters: parameters as Property['parameters'], type: String(type), values });
    byName.set(String(property), known);
  }
  return { name, all: (wanted) => byName.get(wanted) ?? [], parts: parts.map(componentOf) };
}

/** The first value of a property as text; '' where there is none. */
export function textOf(component: Component, name: string): string {
  const value = component.all(name)[0]?.values[0];
  return typeof value === 'string' ? value.trim() : '';
}

/** The first value of a parameter; '' where there is none. */
export function parameterOf({ parameters }: Property, name: string): string {
  const value = parameters[name];
  return (typeof value === 'string' ? value : (value?.[0] ?? '')).trim();
}
