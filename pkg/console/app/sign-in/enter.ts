import { readSession } from '../session.ts';
import { isNeeded } from './is-needed.ts';

/**
 * Opens the console for who has just signed in. It asks the server for the page anew, in place of the one that signed in: who came
 * from a chat client is sent on to its consent by the server. A page that holds something of its own goes on as it is.
 */
export function enterConsole(): void {
  if (isNeeded()) void readSession();
  else location.replace('/console/');
}
