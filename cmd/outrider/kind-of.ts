import { KINDS } from '../../pkg/api/kinds.ts';
import type { KindName } from '../../pkg/api/specs.ts';
import { UserError } from '../../pkg/base/errors.ts';

/** The kind that a word of the command line means, as kubectl reads it. @throws UserError naming the three */
export function kindOf(word: string): KindName {
  const wanted = word.toLowerCase();
  const found = Object.values(KINDS).find((kind) => [kind.singular, kind.plural, ...kind.shortNames].includes(wanted));
  if (!found) throw new UserError(`"${word}" is no kind of Outrider: workspace, campaign or workflow.`);
  return found.kind as KindName;
}
