ask () 
{ 
    k C-n;
    sleep 0.5;
    ty "$1";
    k Enter;
    for i in $(seq 1 28);
    do
        sleep 3;
        o=$(tmux capture-pane -p -t stranger);
        echo "$o" | tail -4 | grep -q "esc Stop" || break;
    done;
    echo "=== $1 ($((i*3)) s)";
    echo "$o" | sed -n 2,26p | cut -c 1-120 | grep -v '^ *$'
}
