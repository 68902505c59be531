import { UNSUBSCRIBE_PLACE } from '../domain/mail-footer.ts';
import { said } from '../domain/said.ts';
import type { Draft } from './node-type.ts';

/** A draft that says nothing is missing its text: nobody is sent a blank one, whatever an older program took as a template. */
export function notBlank(draft: Draft): Draft {
  if ('missing' in draft) return draft;
  return said(draft.text.replaceAll(UNSUBSCRIBE_PLACE, '')) === '' ? { missing: ['text'] } : draft;
}
