/** A calendar as workspaces connected it. */
export interface ConnectedCalendar {
  provider: string;
  /** Of the collection, or of the API. */
  url: string;
  /** CalDAV: whose credentials open it. */
  username: string;
  /** Google: which of the calendars. */
  calendarId: string;
}

/**
 * Which calendar it is, in all workspaces: its server and address, and by CalDAV the account, since some servers have one address for
 * all of their users. Google's ids of calendars are for all accounts.
 */
export function calendarIdentity({ provider, url, username, calendarId }: ConnectedCalendar): string {
  const whose = provider === 'google' ? calendarId : username;
  return [provider, addressOf(url), whose.trim().toLowerCase()].join('\n');
}

/** As servers take it: host in lower case, no port that goes without saying, one slash at its end. */
function addressOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed ? `${parsed.origin}${parsed.pathname.replace(/\/*$/, '/')}` : url;
}
