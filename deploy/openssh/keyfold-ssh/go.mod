module keyfold.example/keyfold-ssh

go 1.26
