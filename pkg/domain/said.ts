/** A letter, a digit or a sign that shows something; dashes, dots and what nobody sees are none. */
const SAYS = /[\p{L}\p{N}\p{S}]/u;

/** What a value says, trimmed; '' where it says nothing: lists hold "-" and invisible characters for what is not known. */
export function said(value: string): string {
  return SAYS.test(value) ? value.trim() : '';
}
