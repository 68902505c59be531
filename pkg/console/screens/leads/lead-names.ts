/** The part of the address behind which files are imported; no id of a lead is such a word. */
export const IMPORT = 'import';

/** A name that says something, whatever the file said. */
export function nameOf(lead: {
  fullName?: string | undefined;
  email?: string | null | undefined;
  company?: string | undefined;
}): string {
  return lead.fullName?.trim() || lead.email || lead.company || 'Without a name';
}
