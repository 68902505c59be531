// The spec reporter for people, and the counts as JSON for the suite table.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once('end', () => {
      const output = options.reporterOptions?.output ?? options.reporterOption?.output;
      if (output) writeFileSync(output, JSON.stringify({ stats: this.stats }));
    });
  }
};
