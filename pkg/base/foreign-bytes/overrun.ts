/** What a parser of foreign bytes ran out of; `crash`: its worker ended for another reason. */
export type Overran = 'memory' | 'time' | 'crash';

const SAID: Readonly<Record<Overran, string>> = {
  memory: 'reading it takes more memory than one input may take',
  time: 'reading it takes longer than one input may take',
  crash: 'the program that reads it ended',
};

/** Bytes from outside cost their parser more than one input may cost; its worker was ended, and what others gave it was not. */
export class ForeignOverrun extends Error {
  override readonly name = 'ForeignOverrun';
  readonly overran: Overran;

  constructor(overran: Overran) {
    super(SAID[overran]);
    this.overran = overran;
  }
}

/** So much waits to be read already, in all or of this tenant, that nothing more is taken. Nothing was done. */
export class ForeignBusy extends Error {
  override readonly name = 'ForeignBusy';
}
