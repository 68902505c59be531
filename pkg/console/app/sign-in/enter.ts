/**
 * Opens the console for who has just signed in. It asks the server for the page anew, in place of the one that signed in: who came
 * from a chat client is sent on to its consent by the server.
 */
export function enterConsole(): void {
  location.replace('/console/');
}
