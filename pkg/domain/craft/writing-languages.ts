import { languageOf } from './language-of.ts';
import type { WritingLanguage } from './words/language-words.ts';

/** Countries, by code and by name, whose people are written to in their language. */
const COUNTRIES: Readonly<Record<string, WritingLanguage>> = {
  ...ofLanguage('de', 'de at germany austria deutschland österreich'),
  ...ofLanguage('fr', 'fr france'),
  ...ofLanguage('es', 'es mx ar co cl pe spain españa mexico méxico argentina colombia chile peru perú'),
};

function ofLanguage(language: WritingLanguage, countries: string): Record<string, WritingLanguage> {
  return Object.fromEntries(countries.split(' ').map((country) => [country, language]));
}

/** The language to write in where nobody asked for one: that of the person's country, else of the playbook, else English. */
export function defaultLanguage(country: string, playbook: string | null): WritingLanguage {
  return COUNTRIES[country.trim().toLowerCase()] ?? languageOf(playbook ?? '') ?? 'en';
}
