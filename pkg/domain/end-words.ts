/** Why nothing was done by a step whose outcome has no edge, in words of people; the others say it themselves. */
const WORDS: Readonly<Record<string, string>> = {
  not_connected: 'nothing was sent, the person is no connection of the account',
  no_email: 'nothing was sent, the lead has no mail address',
  bounced_before: 'nothing was sent, a mail to this address came back before',
  rejected: 'nothing was sent, the text was rejected',
  already_connected: 'nothing was asked, the person is a connection already',
  already_pending: 'nothing was asked, a request to the person is open already',
};

/** Why another workflow does not take a lead. Source: app.hand_off. */
const REFUSALS: Readonly<Record<string, string>> = {
  not_found: 'it is not there',
  already_enrolled: 'it has the lead already',
  suppressed: 'the person may not be contacted',
  claimed: 'another workflow is in contact with the person, or was lately',
  erased: 'the lead was erased',
};

/**
 * Why a run ended behind a step: the step and its outcome, and what that means where it may be missed.
 * @param reason what the step's record says of a refusal
 */
export function endWords(label: string, outcome: string, reason?: string): string {
  const where = `ended after ${label} (${outcome})`;
  if (outcome === 'refused' && reason !== undefined)
    return `${where}: the other workflow does not take the lead, ${Object.hasOwn(REFUSALS, reason) ? REFUSALS[reason] : reason}`;
  const words = Object.hasOwn(WORDS, outcome) ? WORDS[outcome] : undefined;
  return words === undefined ? where : `${where}: ${words}`;
}
