from coworld.examples.paintarena.player.player import main

raise SystemExit(main())
