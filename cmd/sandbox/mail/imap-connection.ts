import type { Socket } from 'node:net';
import type { World } from '../world.ts';
import { fetchItems, search, uidsOf } from './imap-answers.ts';
import { tokens } from './imap-tokens.ts';
import { type Folder, fileMail, listMails } from './mail-store.ts';

const MAX_COMMAND = 2 * 1024 * 1024;
const FOLDERS: readonly Folder[] = ['INBOX', 'Sent'];

/** One client; a command is a line with its literals, answered before the next is read. */
export class ImapConnection {
  readonly #world: World;
  readonly #password: string;
  readonly #socket: Socket;
  #buffer = '';
  #user: string | null = null;
  #folder: Folder | null = null;
  #leaving = false;
  /** Tag of an AUTHENTICATE that waits for its answer. */
  #authenticating: string | null = null;

  constructor(options: { world: World; password: string }, socket: Socket) {
    this.#world = options.world;
    this.#password = options.password;
    this.#socket = socket;
  }

  start(): void {
    this.#send('* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] sandbox ready');
    this.#socket.on('data', (chunk) => {
      this.#buffer += chunk.toString('latin1');
      if (this.#buffer.length > MAX_COMMAND) this.#socket.destroy();
      else this.#drain();
    });
  }

  #drain(): void {
    for (let command = this.#next(); command !== null; command = this.#next()) this.#handle(command);
  }

  /** The next complete command, literals in place; asks for a literal that is announced. */
  #next(): string | null {
    let from = 0;
    for (;;) {
      const end = this.#buffer.indexOf('\r\n', from);
      if (end < 0) return null;
      const literal = /\{(\d+)(\+?)\}$/.exec(this.#buffer.slice(0, end));
      if (!literal) {
        const command = this.#buffer.slice(0, end);
        this.#buffer = this.#buffer.slice(end + 2);
        return command;
      }
      const size = Number(literal[1]);
      if (this.#buffer.length === end + 2 && size > 0 && literal[2] === '') this.#send('+ go ahead');
      if (this.#buffer.length < end + 2 + size) return null;
      from = end + 2 + size;
    }
  }

  #handle(command: string): void {
    for (const line of this.#answer(command)) this.#send(line);
    if (this.#leaving) this.#socket.end();
  }

  #answer(command: string): string[] {
    if (this.#authenticating !== null) return this.#plain(this.#authenticating, command);
    const [tag = '*', name = '', ...args] = tokens(command);
    const verb = name.toUpperCase() === 'UID' ? `UID ${(args.shift() ?? '').toUpperCase()}` : name.toUpperCase();
    const done = `${tag} OK ${verb} done`;
    if (verb === 'LOGOUT') {
      this.#leaving = true;
      return ['* BYE', done];
    }
    if (verb === 'CAPABILITY') return [`* CAPABILITY IMAP4rev1${this.#user === null ? ' AUTH=PLAIN' : ''}`, done];
    if (this.#user === null) return this.#greet(tag, verb, args);
    return this.#serve(tag, verb, args, done);
  }

  #greet(tag: string, verb: string, args: string[]): string[] {
    if (verb === 'LOGIN') return this.#login(tag, args[0] ?? '', args[1] ?? '');
    if (verb !== 'AUTHENTICATE') return [`${tag} BAD log in first`];
    if (args[1]) return this.#plain(tag, args[1]);
    this.#authenticating = tag;
    return ['+ '];
  }

  #plain(tag: string, answer: string): string[] {
    this.#authenticating = null;
    const [, user = '', password = ''] = Buffer.from(answer, 'base64').toString('utf8').split('\0');
    return this.#login(tag, user, password);
  }

  #login(tag: string, user: string, password: string): string[] {
    if (password !== this.#password) return [`${tag} NO [AUTHENTICATIONFAILED] user or password is wrong`];
    this.#user = user.toLowerCase();
    return [`${tag} OK [CAPABILITY IMAP4rev1] logged in`];
  }

  #serve(tag: string, verb: string, args: string[], done: string): string[] {
    switch (verb) {
      case 'NOOP':
      case 'CHECK':
      case 'CLOSE':
        return [done];
      case 'LIST':
      case 'LSUB':
        return [...list(verb, args[1] ?? ''), done];
      case 'SELECT':
      case 'EXAMINE':
        return this.#select(tag, verb, args[0] ?? '');
      case 'UID SEARCH':
        return [`* SEARCH ${search(this.#mails(), args).join(' ')}`.trimEnd(), done];
      case 'UID FETCH':
        return [...this.#fetch(args), done];
      case 'APPEND':
        return this.#append(tag, args);
      default:
        return [`${tag} BAD ${verb} is not served here`];
    }
  }

  #select(tag: string, verb: string, name: string): string[] {
    const folder = folderOf(name);
    if (!folder) return [`${tag} NO [NONEXISTENT] there is no such folder`];
    this.#folder = folder;
    const mails = this.#mails();
    return [
      `* ${mails.length} EXISTS`,
      '* 0 RECENT',
      '* FLAGS (\\Seen)',
      '* OK [UIDVALIDITY 1] uids are valid',
      `* OK [UIDNEXT ${(mails.at(-1)?.uid ?? 0) + 1}] next`,
      `${tag} OK [${verb === 'EXAMINE' ? 'READ-ONLY' : 'READ-WRITE'}] opened`,
    ];
  }

  #fetch(args: string[]): string[] {
    const mails = this.#mails();
    const wanted = uidsOf(args[0] ?? '', mails.at(-1)?.uid ?? 0);
    return mails.flatMap((mail, index) =>
      wanted(mail.uid) ? [`* ${index + 1} FETCH (${fetchItems(mail, args.slice(1).join(' '))})`] : [],
    );
  }

  /** The last argument is the mail, before it flags and date. */
  #append(tag: string, args: string[]): string[] {
    const folder = folderOf(args[0] ?? '');
    if (!folder || !this.#user) return [`${tag} NO [TRYCREATE] there is no such folder`];
    fileMail(this.#world, { mailbox: this.#user, folder, raw: args.at(-1) ?? '', at: this.#world.clock.now() });
    return [`${tag} OK APPEND done`];
  }

  #mails(): ReturnType<typeof listMails> {
    return this.#user !== null && this.#folder !== null ? listMails(this.#world, this.#user, this.#folder) : [];
  }

  #send(line: string): void {
    this.#socket.write(Buffer.from(`${line}\r\n`, 'latin1'));
  }
}

function folderOf(name: string): Folder | undefined {
  return FOLDERS.find((one) => one.toUpperCase() === name.toUpperCase());
}

function list(verb: string, pattern: string): string[] {
  if (pattern === '') return [`* ${verb} (\\Noselect) "/" ""`];
  const asked = FOLDERS.filter(
    (folder) => pattern === '*' || pattern === '%' || pattern.toUpperCase() === folder.toUpperCase(),
  );
  return asked.map((folder) => `* ${verb} (${folder === 'Sent' ? '\\Sent' : ''}) "/" "${folder}"`);
}
