// The spec reporter for people, and as JSON for the suite table: the counts, what failed, and what each file ran and skipped.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failures = [];
    const skipped = [];
    const ran = new Set();
    const fileOf = (test) => test.file ?? test.parent?.file;
    const output = options.reporterOptions?.output ?? options.reporterOption?.output;
    // Written with each failure and suite too: a run that is ended by its time limit comes to no end.
    const write = () =>
      output && writeFileSync(output, JSON.stringify({ stats: this.stats, failures, skipped, ran: [...ran] }));
    runner.on('fail', (failed, error) => {
      ran.add(fileOf(failed));
      failures.push({
        title: failed.fullTitle(),
        file: fileOf(failed),
        message: String(error?.message ?? error).slice(0, 400),
      });
      write();
    });
    runner.on('pass', (passed) => ran.add(fileOf(passed)));
    runner.on('pending', (test) => skipped.push({ title: test.fullTitle(), file: fileOf(test) }));
    runner.on('suite end', write);
    runner.once('end', write);
  }
};
