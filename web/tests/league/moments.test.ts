import { describe, expect, it } from "vitest";
import { atTick, embedCode, pageAt, tickOf } from "../../src/league/moments";

describe("addresses of a moment", () => {
  it("reads the tick of a page", () => {
    expect(["?tick=12", "?a=1&tick=0", "", "?tick=", "?tick=-1", "?tick=1e3", "?tick=12345678901"].map(tickOf)).toEqual(
      [12, 0, null, null, null, null, null],
    );
  });

  it("opens the viewer there, instead of where a failure was", () => {
    expect(atTick("/viewer/?replay=x", "?tick=7")).toBe("/viewer/?replay=x&tick=7");
    expect(atTick("/viewer/?replay=x&tick=3", "?tick=7")).toBe("/viewer/?replay=x&tick=7");
    expect(atTick("/viewer/?replay=x&tick=3", "")).toBe("/viewer/?replay=x&tick=3");
    expect(pageAt("/observatory/matches/1", null)).toBe("/observatory/matches/1");
  });

  it("writes code for other sites in which a title cannot end an attribute", () => {
    expect(embedCode("https://a.example", "/observatory/matches/1", 5, 'a" onload="x <b>')).toBe(
      '<iframe src="https://a.example/observatory/embed/matches/1?tick=5" title="a&#34; onload=&#34;x &#60;b&#62;" ' +
        'width="960" height="600" loading="lazy" allow="fullscreen"></iframe>',
    );
  });
});
