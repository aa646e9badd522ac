// How loud a turn is over its time, in few numbers however long it gets.

const STEPS_MAX = 8192; // more than a screen has pixels; beyond it two become one
const FIRST_STEP = 0.01; // seconds

export class Peaks {
  constructor() {
    this.list = []; // the loudest of each step, 0 to 1
    this.step = FIRST_STEP;
    this.left = 0; // samples of the step that is not whole yet
    this.most = 0;
  }

  get seconds() {
    return this.list.length * this.step;
  }

  add(samples, rate) {
    for (const sample of samples) {
      this.most = Math.max(this.most, Math.abs(sample) / 32768);
      if (++this.left < rate * this.step) continue;
      this.list.push(this.most);
      this.left = 0;
      this.most = 0;
      if (this.list.length === STEPS_MAX) this.halve();
    }
  }

  halve() {
    this.list = Array.from({length: STEPS_MAX / 2}, (_, i) => Math.max(this.list[2 * i], this.list[2 * i + 1]));
    this.step *= 2;
  }

  between(from, to) {
    const first = Math.floor(from / this.step);
    const last = Math.max(first + 1, Math.floor(to / this.step));
    let most = 0;
    for (let i = first; i < Math.min(last, this.list.length); ++i) most = Math.max(most, this.list[i]);
    return most;
  }
}
