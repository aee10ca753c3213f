from coworld.examples.paintarena.game.server import main

raise SystemExit(main())
